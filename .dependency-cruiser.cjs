/**
 * Rooms are listed from the ground up: a room imports only rooms that stand before it in the list,
 * and only through their index.
 */
const rooms = require('./.dependency-rooms.json');

/** These rooms are for GitOps repositories too: they load without Pulumi and without an AWS SDK. */
const withoutPulumi = [
  'files',
  'problems',
  'durations',
  'tokens',
  'shift',
  'simulation',
  'report',
  'admission',
  'certificates',
  'gitops',
  'rules',
  'workflows',
  'progressive',
  'nodes',
];

const above = rooms.map((room, position) => ({
  name: `${room}-imports-upwards`,
  severity: 'error',
  from: { path: `^lib/${room}/` },
  to: { path: `^lib/(${[...rooms.slice(position + 1), 'cli', 'index\\.ts'].join('|')})(/|$)` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...above,
    {
      name: 'only-through-the-index',
      severity: 'error',
      from: { path: '^lib/([^/]+)/' },
      to: { path: '^lib/([^/]+)/', pathNot: ['^lib/$1/', '^lib/[^/]+/index\\.ts$'] },
    },
    {
      name: 'no-pulumi-in-cdk8s-rooms',
      severity: 'error',
      from: { path: `^lib/(${withoutPulumi.join('|')})/` },
      to: { path: 'node_modules/(@pulumi|@aws-sdk)/' },
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
