export type { ApprovalContext, ApprovalSubject } from './approval-kind';
export type { GitHubApprovalSettings } from './github';
export { anyOf, approvalContext, approvalSecrets, approvalsSchema, openApprovals } from './settings';
export type { ApprovalSettings } from './settings';
