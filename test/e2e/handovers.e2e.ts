process.env.CLUSTER_CANARY_E2E_HANDOVERS = '20';

// Required, not imported: the number has to be there before.
require('./handover.e2e');
