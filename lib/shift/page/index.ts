export { addressAllowed, isLoopback, isPublicUrl, parseAddress, publicUrlAllowed } from './address';
export type { PageAddress } from './address';
export { People } from './people';
export { ShiftPage } from './shift-page';
export type { ShiftPageOptions } from './shift-page';
export type { PageControls } from './view';
