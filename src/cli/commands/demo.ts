import type { Command } from 'commander';
import { DEMO_OPTIONS, type DemoOptions } from '../../config/demo-options.ts';
import { addOptions } from '../add-options.ts';
import { clearDemo } from '../demo/clear-demo.ts';
import { type RunningDemo, startDemo } from '../demo/start-demo.ts';
import { stopDemo } from '../demo/stop-demo.ts';
import { describeThingsToTry } from '../demo/things-to-try.ts';
import { describeMountUsers } from '../mount/mount-users.ts';
import { onEndSignals } from '../on-end-signals.ts';
import { sayWaiting } from '../say-waiting.ts';

const DETAILS = `
Runs a service with real genomics files and mounts it: no account, nothing outside this machine. What you write stays
in the data directory and is there again the next time.

Examples:
  svcfs demo ~/svc                     until Ctrl-C
  svcfs demo ~/svc --detach
  svcfs demo --stop ~/svc`;

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .summary('a service with demo content, mounted')
    .description('Run a service with demo content and mount it.')
    .argument('<mountpoint>', 'an empty directory; made when missing');
  addOptions(command, DEMO_OPTIONS).addHelpText('after', DETAILS).action(demo);
}

async function demo(path: string, options: DemoOptions): Promise<void> {
  if (options.stop) return stop(path);
  const { data, detach } = options;
  const running = await startDemo({ path, data, tied: !detach, onProgress: (line) => console.log(line) });
  const { mountPoint, directory, daemon, service } = running;
  console.log(`mounted ${service.url} (user ${daemon.username}) on ${mountPoint}`);
  console.log(`log: ${directory.log}`);
  console.log(describeThingsToTry(mountPoint));
  if (detach) {
    console.log(`End it with: svcfs demo --stop ${mountPoint}`);
    service.release();
    daemon.release();
    return;
  }
  console.log('End it with Ctrl-C.');
  await untilEnded(running);
  console.log(`\nended; the data stays in ${running.record.data}`);
}

async function untilEnded(running: RunningDemo): Promise<void> {
  const { daemon, service, record } = running;
  let told = 0;
  onEndSignals(() => {
    told += 1;
    console.log(told === 1 ? '\nfinishing; once more to wait for nothing' : '\nending now');
    daemon.signal();
  });
  let mounted = true;
  void service.ended.then(() => {
    if (mounted) console.error(`svcfs: the service ended; its log is ${running.directory.serviceLog}`);
  });
  await daemon.ended;
  mounted = false;
  await clearDemo(running, record);
}

async function stop(path: string): Promise<void> {
  const data = await stopDemo(path, {
    onWaiting: sayWaiting(),
    onBusy: (users) => console.error(`still in use, taken away all the same:\n${describeMountUsers(users)}`),
  });
  console.log(`ended; the data stays in ${data}`);
}
