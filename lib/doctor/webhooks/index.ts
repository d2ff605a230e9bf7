export { webhooksCheck } from './webhooks-check';
export type { WebhooksCheckOptions } from './webhooks-check';
