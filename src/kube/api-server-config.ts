/** Where the API server is, how we know it, and who we are to it. */
export interface ApiServerConfig {
  /** Such as `https://192.0.2.1:6443`; a path is put before every request's. */
  readonly server: string;
  /** Who signed the server's certificate, in PEM; without it, the authorities that Node brings along. */
  readonly ca?: TextSource;
  readonly token?: TextSource;
  readonly clientCertificate?: { readonly cert: TextSource; readonly key: TextSource };
  /** The name in the server's certificate, where it is another one than that in the URL. */
  readonly serverName?: string;
  /** Any certificate will do: whoever is on the way can read and change everything. */
  readonly isInsecure?: boolean;
  /** The namespace we run in, or that the user chose. */
  readonly namespace?: string;
}

/** Files are read again from time to time: tokens and authorities are rotated. */
export type TextSource = { readonly text: string } | { readonly file: string };
