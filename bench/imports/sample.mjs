import { createRequire } from 'node:module';

// As a program in this checkout loads packages, and the library by its own name.
const require = createRequire(import.meta.url);

const names = process.argv.slice(2);
const started = performance.now();
names.forEach((name) => require(name));
const milliseconds = performance.now() - started;

const packages = Object.keys(require.cache).flatMap(
  (file) => /.*[\\/]node_modules[\\/]((@[^\\/]+[\\/])?[^\\/]+)/.exec(file)?.[1] ?? [],
);
process.stdout.write(JSON.stringify({ milliseconds, packages: [...new Set(packages)] }));
