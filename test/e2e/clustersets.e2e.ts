process.env.CLUSTER_CANARY_E2E_CLUSTERS = '100';

// Required, not imported: the number has to be there before.
require('./clusterset.e2e');
