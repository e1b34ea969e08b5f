/** Goes before a bundle: libraries that are CommonJS ask for Node's own modules by `require`. */
export const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);"
