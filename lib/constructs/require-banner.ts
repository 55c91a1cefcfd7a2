/** CommonJS dependencies (the X-Ray SDK, some of agents) call `require`, which an ES module does not have. */
export const REQUIRE_BANNER =
  "import{createRequire as createRequireOfBundle}from'node:module';const require=createRequireOfBundle(import.meta.url);";
