/** Fields of our own whose text never holds a name of a user. */
export const PLAIN_KEYS: ReadonlySet<string> = new Set(
  `level time op errno requestId route method status state kind code dialect driver version node v8 uv openssl system kernel arch check
   group program wchan id type startTicks source waiting`.split(/\s+/),
);

/** Fields whose text is a name, or a path of names. */
export const NAME_KEYS: ReadonlySet<string> = new Set(
  `name username user owner project path label target mountPoint first log root file directory referrer short_name`.split(
    /\s+/,
  ),
);

/** Words with a slash or a dot around them that are no names: of the tree, of the API, of this program and of Linux. */
export const KEPT_WORDS: readonly string[] = [
  ...'. .. ~ … projects volumes apps tasks billing .svcfs latest.json metadata.tsv errors stats metrics config version'.split(
    ' ',
  ),
  ...'jobs uploads find by v2 user users files upload multipart part parts complete actions copy move bulk get edit'.split(
    ' ',
  ),
  ...'update delete create download_info metadata tags list scroll storage imports exports objects object async'.split(
    ' ',
  ),
  ...'rate_limit members permissions dev fuse fuse.svcfs proc sys etc usr bin sbin lib tmp var home root run opt mnt'.split(
    ' ',
  ),
  ...'self limits fuse.conf updatedb.conf resolv.conf sed fusermount3 node Node.js svcfs .local state .config'.split(
    ' ',
  ),
  ...'config.toml .cache .svcfs credentials mount.log mount.json control lock lock-turn lock-holder accounts spool'.split(
    ' ',
  ),
  ...'journal account.json service.log node_modules dist cli src B/s KiB/s MiB/s GiB/s default environment'.split(
    ' ',
  ),
];
