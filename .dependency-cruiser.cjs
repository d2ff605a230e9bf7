/**
 * The library has roofs, `core` at the bottom and `cli` at the top; below each, a folder is a module, and so is a file. A
 * module is entered by its `index.ts`, or by that of a folder in it that loads much less. In `core` every file is a door, so that nobody loads a client for a type; `lint` is
 * one module.
 */
const { doors, roofs } = require('./.modules.json');

/** A type is not loaded, and what is imported when it is needed is loaded then. */
const loaded = { dynamic: false, dependencyTypesNot: ['type-only'] };

const directions = Object.entries(roofs).map(([roof, below]) => ({
  name: `${roof}-imports-upwards`,
  severity: 'error',
  from: { path: `^lib/${roof}/` },
  to: { path: '^lib/', pathNot: `^lib/(${[roof, ...below].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...directions,
    {
      name: 'only-through-the-index',
      severity: 'error',
      from: { path: '^lib/([^/]+/[^/]+)' },
      to: {
        path: '^lib/(shift|manifests|operate|pulumi)/[^/]+/',
        pathNot: ['^lib/$1/', '^lib/[^/]+/[^/]+/index\\.ts$', `^lib/(${doors.join('|')})/index\\.ts$`],
      },
    },
    {
      name: 'lint-only-through-its-index',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/lint/' },
      to: { path: '^lib/lint/', pathNot: '^lib/lint/index\\.ts$' },
    },
    {
      name: 'what-is-only-for-users',
      comment: 'The library imports the modules themselves.',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/index\\.ts$' },
      to: { path: '^lib/(index|shift/index|core/validation/index)\\.ts$' },
    },
    {
      name: 'pulumi-only-when-it-is-needed',
      severity: 'error',
      from: { path: '^lib/cli/' },
      to: { path: '^lib/pulumi/', ...loaded },
    },
    {
      name: 'no-pulumi-and-no-aws-sdk',
      severity: 'error',
      from: { path: '^lib/(core|shift|lint|manifests|operate)/' },
      to: { path: 'node_modules/(@pulumi|@aws-sdk)/', ...loaded },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-development-packages-in-the-library',
      severity: 'error',
      from: { path: '^lib/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer', 'npm'],
      },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
