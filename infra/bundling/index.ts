export { BUNDLE_NAMES, type BundleContents, type BundleName, bundle, bundleAll, bundlesIn } from './bundle.ts'
