/** How to read the rows, in Markdown. */
export const PREFACE = `\
Every download comes from one nginx: svcfs and curl use the service's signed addresses, rclone WebDAV or S3, s3fs S3. Lines
that name the service's own storage are the exception. For uploads svcfs and \`curl -T\` send to the service, which checks the
MD5 of each part and flushes it. Uploads of rclone and s3fs go to nginx, which does neither, and joins no parts.

At 20 ms a connection costs one round trip more, and its window grows from 64 KiB to 4 MiB. Cold is a new mount with empty caches.

The lines over TLS have one certificate for all, which every client verifies. The service speaks none: nginx stands before it there,
also for what svcfs and \`curl -T\` send to it. A laboratory's line carries 200 Mbit/s each way, at 80 ms and over TLS; "the line itself" is
what it carries, headers and all.

svcfs reads as it does on the platform, which has neither \`upload_inline\` nor \`download_info_file\`. The server hides both from it,
except in the lines that name one of them. svcfs also sees both where it talks to the service itself: in the lines of the service's
own storage, and in the rows that write large files, which have no use for them. It sees the service's other additions to the
platform's API everywhere.

rclone is Debian's. By WebDAV it sends a request every 10 ms at the most, whatever the server and the threads, because the pacer of
that backend sleeps as long (\`--webdav-pacer-min-sleep\` came with 1.63). By S3 it does not sleep. It uploads in parts, sixteen at
once, and is told to check nothing but sizes.

So rclone is measured by S3 too, and the faster of the two in a row judges the target. The memory of a folder's listing is
measured by WebDAV alone. The row with a rate limit is by WebDAV: by S3 a file is one request, and the limit would not be met.

One thread and eight threads each make \`smallFiles\` small files; s3fs, and rclone by WebDAV, make \`smallFilesOfSlow\`. Each thread makes
\`randomReads\` random reads.

A first byte is the median of nine files in each trial (with nothing known, one file), with the requests of all of them. Each
file is in a folder of its own, so that no answer about one of them tells about the next. It has twice as many trials as the
other rows. The null file systems have three times as many, since a trial takes seconds.

The rows "memory as found" come first, on memory that the hypervisor has yet to give. Before all others the benchmark touches what
is free, and keeps it: the first touch of a page costs more there than anything that is measured.

Peak RSS is the highest of all trials, where other figures are medians. svcfs has a memory budget of 1 GiB, the most it takes by
default, where the row does not name another.

The row with a rate limit uploads \`limitedFiles\` files, begins with the whole budget, and runs once. Its floor is the time
of the requests beyond that budget, at the rate of the limit. The service counts in windows, as the platform does: a client that has
used one up waits for its end. nginx, which limits rclone, has a leaky bucket: its budget grows back all the time.

Most rows are measured at both latencies, and those that move bytes over TLS as well. The rate limit and \`--md5-sum\` are
measured at 20 ms alone. The disk cache, the full
memory budget and the null file systems are measured at 0 ms alone, since the line has no part in them.

The table above names the user who mounts svcfs. Only for root does svcfs tell the kernel how far to read ahead in a file that is
read over an index. For other users the kernel fetches two and a half times the bytes of such regions.

The kernel reads equally far ahead on all null file systems, 2 MiB as on mounts of svcfs. Each has answered 10,000 requests before it
is measured. Ours and those in C answer from memory that begins at a page boundary. A C file system "without a library" uses one for
rare requests only. A target one of whose contestants failed is not judged.
`;
