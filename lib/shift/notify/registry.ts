/**
 * Every kind of sink: a new one has a line here, and no other. Its word under `notify` in plan files, their JSON Schema, its
 * permissions and the table of docs/notifications.md follow.
 */
export { openTelemetry } from './open-telemetry';
export { prometheus } from './prometheus';
export { pushgateway } from './pushgateway';
export { webhook } from './webhook';
