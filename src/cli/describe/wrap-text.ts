/** What the help of a command says in paragraphs, items and examples, for a terminal of some width. */

/** A line that belongs to what stands above it: the same paragraph, or the same item. */
interface Block {
  /** Columns before its first line. */
  readonly indent: number;
  /** Columns before the lines that follow: in an item, where its second column begins. */
  readonly hanging: number;
  readonly words: string[];
  /** Column one of an item, with the blanks up to column two. */
  readonly term: string;
}

/**
 * `text` in lines of at most `width` columns. Lines that begin at the margin are paragraphs. Indented lines are items: `TERM  TEXT`
 * with two blanks or more between them; a deeper line goes on with the item above it. A word longer than a line is not broken.
 */
export function wrapText(text: string, width: number): string {
  const lines: string[] = [];
  let block: Block | undefined;
  const end = (): void => {
    if (block !== undefined) lines.push(...linesOf(block, width));
    block = undefined;
  };
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/);
    if (indent < 0) {
      end();
      lines.push('');
    } else if (block !== undefined && goesOn(block, indent)) {
      block.words.push(...wordsOf(line));
    } else {
      end();
      block = blockOf(line, indent);
    }
  }
  end();
  return lines.join('\n');
}

function goesOn(block: Block, indent: number): boolean {
  return block.indent === 0 ? indent === 0 : indent > block.indent;
}

function blockOf(line: string, indent: number): Block {
  const item = indent === 0 ? null : /^(\s+\S+(?: \S+)*\s{2,})(\S.*)$/.exec(line);
  if (item === null)
    return { indent, hanging: indent === 0 ? 0 : indent + 2, words: wordsOf(line), term: '' };
  const [, term = '', rest = ''] = item;
  return { indent, hanging: term.length, words: wordsOf(rest), term };
}

function linesOf({ indent, hanging, words, term }: Block, width: number): string[] {
  const lines: string[] = [];
  let line = term === '' ? ' '.repeat(indent) : term;
  let isEmpty = true;
  for (const word of words) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(hanging);
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}

function wordsOf(line: string): string[] {
  return line.trim().split(/\s+/);
}
