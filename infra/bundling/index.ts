export { BUNDLE_NAMES, type BundleContents, type BundleName, bundle, bundleAll, bytesOf } from './bundle.ts'
export { bundleCommand, bundleImage } from './command.ts'
export { bundleLibrary, exportedLibraries, type Library } from './libraries.ts'
export { ROOT } from './options.ts'
