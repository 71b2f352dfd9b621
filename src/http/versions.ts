// The versions that GET / and the page at /docs show.
import packageInfo from '../../package.json' with { type: 'json' };

/** The version that clients read to choose the form of their bodies: from 2.0.0 on, they send flat bodies (D-004). */
export const INTERFACE_VERSION = '2.1.1';

/** The version of this program. */
export const GATEWAY_VERSION = packageInfo.version;
