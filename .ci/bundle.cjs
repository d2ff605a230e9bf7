/**
 * Makes one file of `dist/cli/lint-and-harden.js` and of what it imports, so that `lint` and `harden` start without looking up
 * hundreds of modules, one of `main.js`, and one of the YAML reader that findings need. What is not in these is loaded when it is first
 * used: other packages, modules of Node.js, and other roofs that are imported in a function. `tsc` leaves a `lint-and-harden.js`
 * that does the same, slower. Another folder than `dist` may be given.
 */
const { readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, relative, resolve, sep } = require('node:path');
const { build } = require('esbuild');

const root = resolve(__dirname, '..');
const lib = join(root, 'lib');
const dist = resolve(process.argv[2] ?? join(root, 'dist'));
const entry = join(lib, 'cli', 'lint-and-harden.ts');
const outfile = join(dist, 'cli', 'lint-and-harden.js');

/** Needed by many runs, and no few modules: a file of its own, loaded at its first use. */
const besidePackages = {
  commander: 'lint-and-harden-commander',
  valibot: 'lint-and-harden-valibot',
  yaml: 'lint-and-harden-yaml',
};
/** Needed by every run. */
const bundledPackages = ['js-yaml'];
/** Classes and paths that modules take as soon as they are loaded; Node.js has these loaded by then. */
const atOnce = ['events', 'fs', 'path', 'process'];

/** Every word of the library and of the packages in the file: what is no word there is not taken from another module. */
const words = new Set(
  [lib, ...bundledPackages.map((name) => join(root, 'node_modules', name))]
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => join(folder, file)))
    .filter((file) => /\.[cm]?[jt]s$/.test(file))
    .flatMap((file) => readFileSync(file, 'utf8').match(/[A-Za-z_$][\w$]*/g) ?? []),
);

const nameOf = (module) => module.replace(/^node:/, '');
const roofOf = (file) => relative(lib, file).split(sep)[0];

const outside = {
  name: 'outside',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./, namespace: 'file' }, ({ path, kind, resolveDir }) => {
      if (
        kind === 'entry-point' ||
        (resolveDir.split(sep).includes('node_modules') && path.startsWith('.'))
      ) {
        return undefined;
      }
      if (path.startsWith('.')) {
        const target = resolve(resolveDir, path);
        return kind === 'dynamic-import' && roofOf(target) !== roofOf(resolveDir)
          ? { path: `./${relative(dirname(outfile), join(dist, relative(lib, target)))}`, external: true }
          : undefined;
      }
      if (bundledPackages.includes(path) || atOnce.includes(nameOf(path))) {
        return undefined;
      }
      return { path, namespace: 'lazy' };
    });
    // Of a module that is imported in a function, and of all that it imports, esbuild makes functions that are parsed twice.
    onLoad({ filter: /cli[\\/]commands[\\/][\w-]+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^([^]*)const \{ (\w+) \} = await import\('(.*)'\);/,
        "import { $2 } from '$3';\n$1",
      ),
      loader: 'ts',
    }));
    onResolve({ filter: /./, namespace: 'lazy' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: 'lazy' }, ({ path }) => {
      const names = Object.keys(createRequire(entry)(path)).filter((name) => words.has(name));
      const from = path in besidePackages ? `./${besidePackages[path]}.js` : path;
      const getters = names.map(
        (name) => `get ${name}() { return require(${JSON.stringify(from)}).${name}; },`,
      );
      return { contents: `module.exports = {\n${getters.join('\n')}\n};` };
    });
  },
};

/** What the first file loads once it knows the command, by names that need no look-up. */
const besides = {
  name: 'besides',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `${path}.js`, external: true } : undefined,
    );
  },
};

/** The licences of packages of which there is a copy in the file. */
function licences(inputs) {
  const packages = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
  );
  const texts = [...new Set(packages)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const licence = readdirSync(join(root, folder)).find((file) => /^LICENSE(\.md)?$/.test(file));
    return `${name} ${version}\n\n${readFileSync(join(root, folder, licence), 'utf8').trim()}`;
  });
  return texts.map((text) => `\n/*\n${text.replaceAll('*/', '* /')}\n*/\n`).join('');
}

/** Writes one file of modules, with the licences of what is in it. */
async function bundle(file, options) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    outfile: file,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    // Half of the size, and one byte a character: Node.js reads and checks the whole file at each start.
    minifyWhitespace: true,
    charset: 'ascii',
    logLevel: 'warning',
    ...options,
  });
  const [output] = Object.values(metafile.outputs);
  const used = Object.fromEntries(
    Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  writeFileSync(file, outputFiles[0].text + licences(used));
}

async function main() {
  await bundle(join(dist, 'cli', 'main.js'), {
    entryPoints: [join(lib, 'cli', 'main.ts')],
    supported: { 'dynamic-import': false },
    plugins: [besides],
  });
  await bundle(outfile, {
    entryPoints: [entry],
    // As the compiler does: a module of a user's own is required.
    supported: { 'dynamic-import': false },
    plugins: [outside],
  });
  for (const [name, file] of Object.entries(besidePackages)) {
    const contents = `module.exports = require(${JSON.stringify(name)});`;
    await bundle(join(dirname(outfile), `${file}.js`), { stdin: { contents, resolveDir: root } });
  }
}

void main();
