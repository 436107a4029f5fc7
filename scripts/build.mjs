/**
 * Makes dist/cli of src/cli: each program is one file and its chunks, the libraries in them. Node.js then opens a few files where it
 * would open a thousand, and starts in half the time. Types are not checked here: `npm run check:types` does that.
 */
import { chmod, copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { rolldown } from 'rolldown';

const root = new URL('..', import.meta.url).pathname;
const aside = `${root}dist/cli.new`;
const { dependencies, optionalDependencies } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));

/** These packages stay outside: they read files of their own, or need not be there. */
const outside = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
const isOutside = (id) => outside.some((name) => id === name || id.startsWith(`${name}/`));

const bundle = await rolldown({
  cwd: root,
  input: ['main', 'daemon', 'watchdog'].map((name) => `src/cli/${name}.ts`),
  platform: 'node',
  external: (id) => isOutside(id) || builtinModules.includes(id),
});
const { output } = await bundle.write({
  dir: aside,
  format: 'esm',
  chunkFileNames: 'chunks/[name]-[hash].js',
  cleanDir: true,
});
await bundle.close();
const pageOutput = await buildPage(`${aside}/dashboard`);
await writeFile(`${aside}/THIRD-PARTY-LICENSES`, await licensesOf([...output, ...pageOutput]));
await chmod(`${aside}/main.js`, 0o755);
await rm(`${root}dist/cli`, { recursive: true, force: true });
await rename(aside, `${root}dist/cli`);

/** The page of `svcfs dashboard`: one script, with its libraries in it, beside the files that stay as they are. */
async function buildPage(dir) {
  const page = `${root}src/cli/dashboard/page`;
  const made = await rolldown({
    cwd: root,
    input: { page: `${page}/main.tsx` },
    platform: 'browser',
    tsconfig: `${page}/tsconfig.json`,
  });
  const written = await made.write({ dir, format: 'esm' });
  await made.close();
  for (const name of ['index.html', 'page.css']) await copyFile(`${page}/${name}`, `${dir}/${name}`);
  await copyFile(`${root}node_modules/uplot/dist/uPlot.min.css`, `${dir}/uPlot.min.css`);
  return written.output;
}

/** The licenses of the packages that stand in the chunks. */
async function licensesOf(chunks) {
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
  const packages = new Set(
    modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return (await Promise.all([...packages].sort().map(licenseOf))).join('\n');
}

async function licenseOf(directory) {
  const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, 'utf8'));
  const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : await readFile(`${directory}/${file}`, 'utf8');
  return `${name} ${version}, ${license}\n\n${text}\n`;
}
