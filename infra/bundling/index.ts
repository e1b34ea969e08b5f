export { BUNDLE_NAMES, type BundleContents, type BundleName, bundle, bundleAll } from './bundle.ts'
export { bundleCommand } from './command.ts'
export { bundleImage } from './image.ts'
export { bundleLibrary, exportedLibraries, type Library } from './libraries.ts'
