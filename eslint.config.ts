/** The lint rules that keep the house style; the import floors are tested in test/architecture. */
import tseslint from 'typescript-eslint';
import vue from 'eslint-plugin-vue';

export default tseslint.config(
  { ignores: ['node_modules/**', 'build/**', 'core/optimizers/*.wasm', 'test/**/reference/**'] },
  ...tseslint.configs.strict,
  ...vue.configs['flat/recommended'],
  { files: ['**/*.vue'], languageOptions: { parserOptions: { parser: tseslint.parser } } },
  {
    // The security checklist (main/electron/checklist.ts), as far as a linter sees it.
    files: ['main/**', 'renderer/**', 'core/**'],
    ignores: ['**/*.test.ts', 'main/electron/window.ts', 'main/electron/main.ts', 'main/electron/preload.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name=/^(BrowserWindow|BaseWindow|WebContentsView)$/]", message: 'Windows are made in main/electron/window.ts alone.' },
        { selector: "CallExpression[callee.property.name=/^(loadFile|loadURL|openExternal|executeJavaScript)$/]", message: 'Pages come from app://isogloss by main/electron/window.ts alone; nothing is opened outside.' },
        { selector: "ImportDeclaration[importKind='value'][source.value='electron']", message: 'Only main.ts and preload.ts import the values of Electron; everything else takes them as parameters.' },
        { selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]", message: 'Text is text.' },
        { selector: "NewExpression[callee.name='Function']", message: 'The security policy forbids code made of text.' },
      ],
    },
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: ['error', 'always'],
      'no-eval': 'error',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/no-v-html': 'error',
      'vue/attributes-order': 'off',
      'vue/first-attribute-linebreak': 'off',
    },
  },
);
