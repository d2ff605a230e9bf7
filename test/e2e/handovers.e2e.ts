process.env.CLUSTER_CANARY_E2E_HANDOVERS = '20';

// eslint-disable-next-line @typescript-eslint/no-require-imports -- the number has to be there before
require('./handover.e2e');
