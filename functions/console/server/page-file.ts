/** A file that makes up the page. */
export interface PageFile {
  /** A media type. */
  readonly type: string
  readonly content: string
}
