export { day, lifeOf, nameOf, ownFaults, span, trustFault } from './certificate-judgement';
export type { CertificateFault } from './certificate-judgement';
export { overdue, overdueBefore } from './expiry';
export { askHandshake } from './handshake';
export type { AskHandshake, Handshake, HandshakeTarget } from './handshake';
export { handshakeFailure } from './handshake-failure';
export type { HandshakeFailure } from './handshake-failure';
export { publicAuthorities } from './public-authorities';
