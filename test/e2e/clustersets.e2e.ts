process.env.CLUSTER_CANARY_E2E_CLUSTERS = '100';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- the number has to be there before
require('./clusterset.e2e');
