import type { Command } from 'commander';
import { DEMO_OPTIONS, type DemoOptions } from '../../config/demo-options.ts';
import { addOptions } from '../add-options.ts';
import { clearOwnDemo } from '../demo/clear-demo.ts';
import { type RunningDemo, startDemo } from '../demo/start-demo.ts';
import { stopDemo } from '../demo/stop-demo.ts';
import { wrapped } from '../describe/help-format.ts';
import { quoted } from '../describe/quoted.ts';
import { onEndSignals } from '../on-end-signals.ts';
import { sayWaitingElsewhere } from '../say-waiting-elsewhere.ts';

const DETAILS = `
Runs a service with real genomics files, and mounts it. It needs no account and nothing outside this machine. Files that you
write stay in the data directory, and are there again the next time.

Examples:
  svcfs demo ~/svc                     until Ctrl-C
  svcfs demo ~/svc --detach
  svcfs demo --stop ~/svc`;

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .summary('run a service with demo content and mount it')
    .description('Run a service with demo content and mount it.')
    .argument('<mountpoint>', 'an empty directory; made when missing');
  addOptions(command, DEMO_OPTIONS).addHelpText('after', wrapped(DETAILS)).action(demo);
}

async function demo(path: string, options: DemoOptions): Promise<void> {
  if (options.stop) return stop(path);
  const { data, detach } = options;
  const start = new AbortController();
  let running: RunningDemo | undefined;
  onEndSignals(() => {
    if (running === undefined) return start.abort();
    console.log('\nfinishing; Ctrl-C to wait for nothing');
    running.daemon.end();
  });
  const onProgress = (line: string): void => console.log(line);
  running = await startDemo({ path, data, tied: !detach, onProgress, signal: start.signal });
  sayRunning(running);
  await sayWaitingElsewhere();
  if (detach) {
    console.log(
      `End it with (in a checkout: scripts/demo --stop …):\n  svcfs demo --stop ${quoted(running.mountPoint)}`,
    );
    running.service.release();
    running.daemon.release();
    return;
  }
  console.log('End it with Ctrl-C.');
  if (start.signal.aborted) running.daemon.end();
  await untilEnded(running);
  console.log(`ended; the data stays in ${running.record.data}`);
}

function sayRunning({ service, daemon, mountPoint, directory }: RunningDemo): void {
  console.log(`mounted ${service.url} (user ${daemon.username}) on ${mountPoint}`);
  console.log(`log: ${directory.log}`);
  console.log(describeThingsToTry(mountPoint, service.runsTasks));
}

/** Someone else may end the mount too: then the service follows. */
async function untilEnded(running: RunningDemo): Promise<void> {
  let mounted = true;
  void running.service.ended.then(() => {
    if (mounted) console.error(`svcfs: the service ended; its log is ${running.directory.serviceLog}`);
  });
  await running.daemon.ended;
  mounted = false;
  await clearOwnDemo(running, running.record);
}

async function stop(path: string): Promise<void> {
  const data = await stopDemo(path, {
    onBusy: (users) => console.error(`still in use, taken away all the same:\n${users}`),
  });
  console.log(`ended; the data stays in ${data}`);
}

/** Commands that fit a terminal of 80 columns however long the mount point is. */
function describeThingsToTry(mountPoint: string, runsTasks: boolean): string {
  return `
Things to try:
  M=${quoted(mountPoint)}
  ls -l $M/projects/demo/trio-exomes/child
  C=$M/projects/demo/trio-exomes/child
  samtools view $C/child.bam chr20:100000-100500
  getfattr -d $C/child.bam
  echo 'looks good' > $C/note.txt
  mv $C/note.txt $M/volumes/demo/results/
  cat $M/volumes/demo/results/note.txt
${runsTasks ? TASK_TO_TRY : ''}`;
}

const TASK_TO_TRY = `
A task, from an example of its inputs to its outputs (in a checkout: npx svcfs):
  A=demo/trio-exomes/samtools-flagstat
  sed s,FILE,child/child.bam, $M/apps/$A/example.json > job.json
  svcfs tasks create $A --name Counts --inputs job.json --run --wait
  cat $M/tasks/demo/trio-exomes/Counts~*/outputs/counts
`;
