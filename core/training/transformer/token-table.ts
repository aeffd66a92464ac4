/** Which parameter is the table of tokens, of which only the rows in use are updated? */

export const TOKEN_TABLE = 'embeddings.token';
