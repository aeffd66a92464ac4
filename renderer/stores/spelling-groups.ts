/** How are groups of spellings written by a person? One group a line, "=" between spellings: "ŋ = ng". */

/** Lines with fewer than two different spellings say nothing and are left out. */
export function groupsOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .map((line) => [...new Set(line.split('=').map((spelling) => spelling.trim()).filter((spelling) => spelling !== ''))])
    .filter((group) => group.length > 1);
}

export function textOf(groups: readonly (readonly string[])[]): string {
  return groups.map((group) => group.join(' = ')).join('\n');
}
