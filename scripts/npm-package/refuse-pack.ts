// npm runs this before it packs the repository: the result would be TypeScript, which Node runs in no folder node_modules, without the
// built bundle. `npm run package` makes the package.
process.stderr.write(
  "npm pack and npm publish would pack the repository, which does not run where it is installed; write npm run package -- FOLDER\n",
);
process.exitCode = 2;
