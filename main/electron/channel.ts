/** What is the one IPC channel called? */

/** It carries a message port from the preload script to the program, and nothing else. */
export const CONNECT_CHANNEL = 'isogloss:connect';
