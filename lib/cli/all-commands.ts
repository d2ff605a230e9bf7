import { clusterCanary } from './program';
import { run } from './run';

run(clusterCanary);
