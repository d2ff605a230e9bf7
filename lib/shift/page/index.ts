export { addressAllowed, isLoopback, isPublicUrl, parseAddress, publicUrlAllowed } from './address';
export type { PageAddress } from './address';
export { approvalsSchema, openLinks } from './link-settings';
export type { ApprovalLinkSettings, ApprovalSettings } from './link-settings';
export { People } from './people';
export { ShiftPage } from './shift-page';
export type { ShiftPageOptions } from './shift-page';
export type { PageControls } from './view';
