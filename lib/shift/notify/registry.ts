/**
 * Every kind of sink: a new one has a line here, and no other. Its word under `notify` in plan files, their JSON Schema, its
 * permissions and the table of docs/notifications.md follow.
 */
export { prometheus } from './prometheus';
export { webhook } from './webhook';
