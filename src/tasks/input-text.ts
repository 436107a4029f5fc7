import { parseExactly } from '../lib/exact-json.ts';
import { fitInputs } from './fit-inputs.ts';
import { type PortType, valueTypes } from './port-type.ts';

/**
 * The value of a port that is given as words of a command line, one or several for a list. A word that is none of the
 * type stays a text: `fitInputs` tells.
 */
export function valueOfTexts(type: PortType, texts: readonly string[]): unknown {
  const [text = '', ...more] = texts;
  const list = valueTypes(type).find((each) => each.kind === 'array');
  if (list?.kind === 'array' && (more.length > 0 || !isJson(text)))
    return texts.map((each) => valueOfWord(list.items, each));
  // Several words for one value are as many values: no type but a list takes them.
  return more.length > 0 ? texts : valueOfWord(type, text);
}

function valueOfWord(type: PortType, text: string): unknown {
  switch (type.kind) {
    case 'simple':
      if (type.name === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
      return ['int', 'long', 'float', 'double'].includes(type.name) ? numberOf(text) : text;
    case 'enum':
      return text;
    case 'union': {
      const values = valueTypes(type).map((each) => ({ type: each, value: valueOfWord(each, text) }));
      return values.find(({ type: each, value }) => isFit(each, value))?.value ?? text;
    }
    default:
      return isJson(text) ? parsed(text) : text;
  }
}

function isFit(type: PortType, value: unknown): boolean {
  const port = { name: 'value', type, default: undefined, required: true, description: '' };
  return fitInputs([port], { value }).problems.length === 0;
}

function numberOf(text: string): unknown {
  return /^-?\d/.test(text) ? parsed(text) : text;
}

function isJson(text: string): boolean {
  return /^[[{]/.test(text);
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
