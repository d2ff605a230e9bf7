/** That a property fails is enough to know here; the smallest example is not worth its time. */
require('fast-check').configureGlobal({ endOnFailure: true });
