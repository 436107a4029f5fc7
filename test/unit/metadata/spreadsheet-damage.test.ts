import { describe, expect, it } from 'vitest';
import { isSpreadsheetDamage } from '../../../src/metadata/plan/spreadsheet-damage.ts';

describe('what a spreadsheet makes of a value', () => {
  it.each([
    ['007', '7'],
    ['1.50', '1.5'],
    ['+5', '5'],
    ['2310009E13', '2.31E+19'],
    ['2310009E13', '2.310009E+19'],
    ['123456789012', '1.23457E+11'],
    ['12345678901234567890', '12345678901234600000'],
    ['SEPT2', '2-Sep'],
    ['MARCH1', '1-Mar'],
    ['DEC1', '01-Dec'],
    ['OCT4', '2026-10-04'],
    ['3/4', '4-Mar'],
    ['3-4', '3-Apr'],
    ['2024-01-05', '1/5/2024'],
    ['2024-01-05', '05.01.2024'],
    ['true', 'TRUE'],
    ['False', 'FALSE'],
    ['a "b"', '"a ""b"""'],
    ['["x"]', '"[""x""]"'],
    ['=SUM', '#NAME?'],
    ['-x', '#NAME?'],
    ['Zürich', 'ZÃ¼rich'],
  ])('is found: %s to %s', (before, after) => {
    expect(isSpreadsheetDamage(before, after)).toBe(true);
  });

  it.each([
    ['007', '007'],
    ['007', '8'],
    ['7', '007'],
    ['1.5', '1.50'],
    ['3.14159', '3.14'],
    ['12', '13'],
    ['SEPT2', 'SEPTIN2'],
    ['SEPT2', '1-Mar'],
    ['2024-01-05', '2024-01-06'],
    ['1/5/2024', '2024-01-05'],
    ['true', 'false'],
    ['yes', 'TRUE'],
    ['a', '"b"'],
    ['', '7'],
    ['x', '#NAME?'],
    ['tumour', 'Tumour'],
    ['sample 1', '1'],
  ])('is not what people write: %s to %s', (before, after) => {
    expect(isSpreadsheetDamage(before, after)).toBe(false);
  });
});
