/** What a reader must know to read the rows, in Markdown. */
export const PREFACE = `\
Who talks to what: every download comes from one nginx (svcfs and curl by the service's signed addresses, rclone by WebDAV
or S3, s3fs by S3), except in the lines that name the service's own storage. svcfs and \`curl -T\` send to the service, which
checks the MD5 of each part and flushes it; rclone and s3fs send to nginx, which does neither, and joins no parts. At 20 ms a
connection costs one round trip more and its window grows from 64 KiB to 4 MiB. Cold is a new mount with empty caches.

svcfs reads as it does on the platform, which has neither \`upload_inline\` nor \`download_info_file\`: they are hidden from it,
but in the lines that name one of them (both are seen there), and where it talks to the service itself (the lines of the
service's own storage, and the rows that write large files, which have no use for them). What else the service adds to the
platform's API it sees.

rclone is Debian's: by WebDAV it sends a request every 10 ms at the most, whatever the server and the threads, because the
pacer of that backend sleeps as long (\`--webdav-pacer-min-sleep\` came with 1.63). By S3 it does not sleep, and uploads in
parts, sixteen at once; it is told to check nothing but sizes. So it is measured by S3 too, and targets are judged by whichever
is faster in the row; a folder is listed for the memory it takes by WebDAV alone.
The row with a rate limit is by WebDAV: by S3 a file is one request, and the limit would not be met.

\`smallFiles\` small files are made by one thread and by eight, but \`smallFilesOfSlow\` on s3fs and on rclone by WebDAV. A first
byte is the median of nine files in each trial (with nothing known, one file), with the requests of all of them; each file
is in a folder of its own, so that nothing that is asked about one of them tells of the next. Of it there are twice as many
trials as of the others, and of the null file systems three times as many, for they take seconds.
Each thread makes \`randomReads\` random reads. Peak RSS is the highest of all trials, where others
are medians; svcfs has a memory budget of 1 GiB, the most it takes unasked, where the row does not name another.

The row with a rate limit has \`limitedFiles\` files to upload, begins with the whole budget, and is run once. Its floor is what was
answered beyond that budget, at the rate of the limit. The service counts in windows, as the platform does: who has used one up
waits for its end. nginx, which limits rclone, has a leaky bucket: its budget grows back all the time.

Rows are measured at both latencies, but for the rate limit and \`--md5-sum\` (20 ms alone), and the disk cache, the full memory
budget and the null file systems (0 ms alone), in which the line has no part.

svcfs is mounted by the user whom the table above names. Only for root does it tell the kernel how far to read ahead in a file that is
read over an index; for others the kernel fetches two and a half times the bytes of such regions.

The kernel reads equally far ahead on all null file systems, 2 MiB as on mounts of svcfs; each has answered 10,000 requests before it
is measured. What ours and those in C answer from begins with a page. Where C is said to be without a library, that answers only
what is rare. A target one of whose contestants failed is not judged.
`;
