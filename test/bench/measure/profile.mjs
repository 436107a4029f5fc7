/** Preloaded (`node --import`) into a process, writes a CPU profile of it to $BENCH_PROFILE when it exits. */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
process.on('exit', () => {
  session.post('Profiler.stop', (_error, { profile }) => {
    const name = `${basename(process.argv[1] ?? 'node')}-${process.pid}.cpuprofile`;
    writeFileSync(join(process.env.BENCH_PROFILE ?? '.', name), JSON.stringify(profile));
  });
});
