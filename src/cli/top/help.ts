export const TOP_HELP: readonly string[] = [
  'Keys of svcfs top',
  '',
  '  q         quit',
  '  p, space  pause, and go on',
  '  s         sort operations: by rate, p99, name',
  '  h, ?      this help, and back',
  '',
  'Rates are of the last interval, durations',
  'of the last ten. Requests are those to the',
  'API, which count against its limit.',
];
