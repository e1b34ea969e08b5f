export { lockFile } from './exclusive-file.ts'
export { assertOwnFile, type FileKind, ForeignFileError, replaceOwnFile, targetOf } from './own-file.ts'
