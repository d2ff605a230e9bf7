/**
 * Every kind of check, and every source of kinds: a new one has a line here, and no other. Its word in plan files, their
 * JSON Schema and `checks.NAME({ … })` follow.
 */
export { targetHealth, capacity } from './targets';
export { argoApplications } from './argo-applications/argo-applications';
export { clusterVitals } from './cluster-vitals/cluster-vitals';
export { http } from './http/http';
export { httpProxy } from './http-proxy/kinds';
export { kubernetesPods } from './kubernetes-pods';
export { kubernetesJob } from './kubernetes-job/kubernetes-job';
export { program } from './program';
export { readiness } from './readiness/readiness';
export { cloudWatch } from './cloudwatch/kinds';
export { datadog } from './datadog/kinds';
export { alertmanager } from './prometheus/alertmanager';
export { prometheus } from './prometheus/kinds';
