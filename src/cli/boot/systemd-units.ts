/** Units by which systemd mounts at boot: systemd.service(5), systemd.mount(5), systemd.automount(5). */

export interface UnitRequest {
  /** An absolute path. */
  readonly mountPoint: string;
  readonly profile: string | undefined;
  /** Of the user's own systemd, not of the machine. */
  readonly ofUser: boolean;
  /** Mount when a program first asks for the directory. */
  readonly automount: boolean;
  /** The words that start svcfs. */
  readonly program: readonly string[];
}

export interface Unit {
  readonly name: string;
  readonly text: string;
}

/** The first of them is the one to enable. */
export function unitsFor(request: UnitRequest): readonly Unit[] {
  return request.automount ? automountUnits(request) : [serviceUnit(request)];
}

/** Uploads that are under way have this time at the end. */
const STOP_PATIENCE = '15min';

function serviceUnit({ mountPoint, profile, ofUser, program }: UnitRequest): Unit {
  const start = [
    ...program,
    'mount',
    '--foreground',
    ...(profile === undefined ? [] : ['--profile', profile]),
    mountPoint,
  ];
  const stop = [...program, 'unmount', mountPoint];
  const network = ofUser ? [] : ['Wants=network-online.target', 'After=network-online.target'];
  return {
    name: `svcfs-${escapePath(mountPoint)}.service`,
    text: lines(
      '[Unit]',
      `Description=svcfs on ${mountPoint.replaceAll('%', '%%')}`,
      'Documentation=man:svcfs-mount(8)',
      ...network,
      '',
      '[Service]',
      'Type=notify',
      '# systemd-notify tells of a mount that is there.',
      'NotifyAccess=all',
      `ExecStart=${start.map(quotedWord).join(' ')}`,
      `ExecStop=${stop.map(quotedWord).join(' ')}`,
      `TimeoutStopSec=${STOP_PATIENCE}`,
      'KillMode=mixed',
      'Restart=on-failure',
      'RestartSec=10',
      '# Options that give a service a mount namespace of its own would hide the mount from everybody else.',
      ...(ofUser ? [] : HARDENING),
      '',
      '[Install]',
      `WantedBy=${ofUser ? 'default.target' : 'multi-user.target'}`,
    ),
  };
}

/** A user's own mount goes by fusermount3, which is set-user-ID: none of these is for it. */
const HARDENING = [
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'UMask=0077',
];

function automountUnits({ mountPoint, profile }: UnitRequest): readonly Unit[] {
  const name = escapePath(mountPoint);
  const where = mountPoint.replaceAll('%', '%%');
  return [
    {
      name: `${name}.automount`,
      text: lines(
        '[Unit]',
        `Description=svcfs on ${where}, at the first use`,
        '',
        '[Automount]',
        `Where=${where}`,
        '',
        '[Install]',
        'WantedBy=multi-user.target',
      ),
    },
    {
      name: `${name}.mount`,
      text: lines(
        '[Unit]',
        `Description=svcfs on ${where}`,
        'Documentation=man:mount.svcfs(8)',
        'Wants=network-online.target',
        'After=network-online.target',
        '',
        '[Mount]',
        `What=${profile ?? 'none'}`,
        `Where=${where}`,
        'Type=svcfs',
        'Options=_netdev,allow-other',
        `TimeoutSec=${STOP_PATIENCE}`,
      ),
    },
  ];
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

/** A path as the name of a unit has it: systemd-escape(1), `--path`. */
export function escapePath(path: string): string {
  const plain = path.replace(/^\/+|\/+$/g, '').replace(/\/+/g, '/');
  if (plain === '') return '-';
  return [...Buffer.from(plain)]
    .map((byte, index) => {
      const character = String.fromCharCode(byte);
      if (character === '/') return '-';
      const isPlain = /[a-zA-Z0-9:_.]/.test(character) && !(index === 0 && character === '.');
      return isPlain ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** A word of a command in a unit: systemd.service(5), COMMAND LINES. */
function quotedWord(word: string): string {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(word) ? `"${escaped}"` : escaped;
}
