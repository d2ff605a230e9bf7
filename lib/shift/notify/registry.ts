/**
 * Every kind of sink: a new one has a line here, and no other. Its word under `notify` in plan files, their JSON Schema, its
 * permissions and the table of docs/notifications.md follow.
 */
export { eventBridge } from './event-bridge';
export { kubernetesEvents } from './kubernetes-events';
export { loadBalancerTags } from './load-balancer-tags';
export { openTelemetry } from './open-telemetry';
export { prometheus } from './prometheus';
export { pushgateway } from './pushgateway';
export { slack } from './slack';
export { sns } from './sns';
export { teams } from './teams';
export { webhook } from './webhook';
