import type { Rule } from '../../rule';
import { tls01 } from './tls01-self-signed-injection';
import { tls02 } from './tls02-leaf-injection';
import { tls03 } from './tls03-rotating-ca-key';
import { tls04 } from './tls04-outlives-ca';
import { tls05 } from './tls05-late-renewal';
import { tls06 } from './tls06-wrong-dns-name';
import { tls07 } from './tls07-key-in-manifest';
import { tls08 } from './tls08-unstable-render';
import { tls09 } from './tls09-renewal-not-seen';
import { tls10 } from './tls10-no-ca';
import { tls11 } from './tls11-injector-drops-ca';
import { tls12 } from './tls12-conversion-and-apiservice';
import { tls13 } from './tls13-entry-before-ca';
import { tls14 } from './tls14-rotation-in-one-step';
import { tls15 } from './tls15-ungated-rotation-phase';

/** In the order of their ids. */
export const certificateRules: readonly Rule[] = [
  tls01,
  tls02,
  tls03,
  tls04,
  tls05,
  tls06,
  tls07,
  tls08,
  tls09,
  tls10,
  tls11,
  tls12,
  tls13,
  tls14,
  tls15,
];
