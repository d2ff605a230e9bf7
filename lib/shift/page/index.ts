export { addressAllowed, isLoopback, isPublicUrl, parseAddress, publicUrlAllowed } from './address';
export type { PageAddress } from './address';
export { approvalLinkSchema, linkKeyProblem, openLinks } from './link-settings';
export type { ApprovalLinkSettings } from './link-settings';
export { linkExpiry } from './link';
export { People } from './people';
export { ShiftPage } from './shift-page';
export type { ShiftPageOptions } from './shift-page';
export type { PageControls } from './view';
