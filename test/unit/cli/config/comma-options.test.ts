import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { applyCommaOptions, splitCommaOptions } from '../../../../src/cli/config/comma-options.ts';
import { createProgram } from '../../../../src/cli/program.ts';

function mountCommand(): Command {
  const command = createProgram().commands.find((each) => each.name() === 'mount');
  if (command === undefined) throw new Error('no command mount');
  return command;
}

function valuesOf(...texts: readonly string[]): Record<string, unknown> {
  const command = mountCommand();
  applyCommaOptions(command, texts);
  const given = command.options.map((option) => option.attributeName());
  return Object.fromEntries(
    given
      .filter((key) => command.getOptionValueSource(key) === 'cli')
      .map((key) => [key, command.getOptionValue(key)]),
  );
}

describe('-o', () => {
  it('takes the options of the command, by names without dashes', () => {
    expect(valuesOf('metadata-ttl=2.5,write-back,no-symlinks', 'allow_other')).toEqual({
      metadataTtl: 2500,
      writeBack: true,
      symlinks: false,
      allowOther: true,
    });
  });

  it('adds each mention of an option that may be repeated', () => {
    expect(valuesOf('project=lab/a,ro', 'project=lab/*')).toEqual({
      project: ['lab/a', 'lab/*'],
      readOnly: true,
    });
    expect(() => valuesOf('project=lab')).toThrow('-o project=lab: Expected OWNER/NAME');
  });

  it('knows ro and rw', () => {
    expect(valuesOf('ro')).toEqual({ readOnly: true });
    expect(valuesOf('rw')).toEqual({});
    expect(() => valuesOf('rw,ro')).toThrow('rw and read-only exclude each other');
  });

  it.each([
    [
      'a=b\\,c,d',
      [
        { name: 'a', value: 'b,c' },
        { name: 'd', value: undefined },
      ],
    ],
    ['a="b,c"', [{ name: 'a', value: 'b,c' }]],
    ['a=b\\\\c', [{ name: 'a', value: 'b\\c' }]],
    ['a=', [{ name: 'a', value: '' }]],
    ['a=b=c', [{ name: 'a', value: 'b=c' }]],
  ])('splits %s', (text, expected) => {
    expect(splitCommaOptions(text)).toEqual(expected);
  });

  it.each([
    ['metadata-tl=3', /-o metadata-tl: unknown option: did you mean metadata-ttl\?/],
    ['metadata-ttl=soon', /-o metadata-ttl=soon: Expected a number of seconds\./],
    ['metadata-ttl', /-o metadata-ttl: the option needs a value/],
    ['write-back=yes', /-o write-back: the option takes no value/],
    ['owner=me', /-o owner=me: Allowed choices are mounter, kept\./],
    ['=3', /an option has no name/],
    ['uploads=3,uploads=4', /--uploads is given twice, with different values/],
  ])('refuses %s', (text, message) => {
    expect(() => valuesOf(text)).toThrow(message);
  });
});
