/** Bytes of a disk that are kept free unless set otherwise, though never more than a twentieth of it. */
export const FREE_BYTES_MIN = 512 * 1024 * 1024;
