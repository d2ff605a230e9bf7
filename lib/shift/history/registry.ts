/**
 * Every kind of history of whole shifts: a new one has a line here, and no other. Its word under `history` in plan files, their
 * JSON Schema and permissions follow.
 */
export { folder } from './folder';
export { kubernetes } from './kubernetes';
export { s3 } from './s3';
