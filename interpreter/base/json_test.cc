#include "interpreter/base/json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace qgpu {
namespace {

std::string refusal(std::string_view text) {
  auto document = parseJson(text, "a.json", 4);
  return document ? "accepted: " + document->dump() : document.error().text();
}

TEST(Json, ParsesEveryKindOfValue) {
  const auto document =
      parseJson(R"( {"a": [1, -2, 2.5, true, null], "b": {"c": "\u00e9\n"}} )", "x");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->dump(), R"({"a":[1,-2,2.5,true,null],"b":{"c":"é\n"}})");
  EXPECT_EQ(parseJson("7", "x")->get<int>(), 7);
}

TEST(Json, RefusalsSayWhereAndWhat) {
  EXPECT_EQ(refusal("{\"a\": 1,\n \"a\": 2}"),
            "a.json:2:4: error: \"a\" is given twice; give one valid JSON document");
}

TEST(Json, EveryFaultIsRefused) {
  for (const char* text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "[1] 2", "nul", "01", "1e999", "\"\x80\"",
        "\"\xed\xa0\x80\"", "\"a", "[[[[[1]]]]]", "{\"a\":{\"a\":{\"a\":{\"a\":{}}}}}", "NaN",
        "{\"x\":1,\"y\":2,\"x\":3}", "\"\\ud800\"", "{1:2}"})
    EXPECT_NE(refusal(text).find("a.json:"), std::string::npos) << text << " -> " << refusal(text);
}

TEST(Json, DepthIsLimitedBeforeAnythingElse) {
  EXPECT_FALSE(parseJson(std::string(5'000'000, '['), "x"));
  EXPECT_TRUE(parseJson("[[[[1]]]]", "x", 4));
}

TEST(Json, FieldsAreRequiredTypedAndBounded) {
  const auto document =
      parseJson(R"({"n": 3, "s": "t", "b": true, "x": 0.5, "o": {}, "a": []})", "c");
  ASSERT_TRUE(document);
  JsonFields good(*document, "c");
  EXPECT_EQ(good.size("n", 1, 3), 3u);
  EXPECT_EQ(good.string("s"), "t");
  EXPECT_TRUE(good.boolean("b"));
  EXPECT_EQ(good.number("x", 0, 1), 0.5);
  EXPECT_TRUE(good.object("o").is_object());
  EXPECT_TRUE(good.array("a").is_array());
  EXPECT_FALSE(good.failure());

  const auto fault = [&](auto read) {
    JsonFields fields(*document, "c", "part");
    read(fields);
    return fields.failure() ? fields.failure()->text() : "none";
  };
  EXPECT_EQ(fault([](auto& f) { f.size("n", 4, 9); }),
            "c: error: part.n is not a whole number from 4 to 9");
  EXPECT_EQ(fault([](auto& f) { f.size("x", 0, 9); }),
            "c: error: part.x is not a whole number from 0 to 9");
  EXPECT_EQ(fault([](auto& f) { f.string("q"); }), "c: error: part.q is missing");
  EXPECT_EQ(fault([](auto& f) { f.string("n"); }), "c: error: part.n is not a string");
  EXPECT_EQ(fault([](auto& f) { f.boolean("n"); }), "c: error: part.n is not true or false");
  EXPECT_EQ(fault([](auto& f) { f.object("a"); }), "c: error: part.a is not an object");
  EXPECT_EQ(fault([](auto& f) { f.array("o"); }), "c: error: part.o is not an array");
  EXPECT_EQ(fault([](auto& f) { f.number("x", 0.6, 1); }),
            "c: error: part.x is not a number from 0.6 to 1");
  EXPECT_EQ(fault([](auto& f) {
              JsonFields inner = f.fieldsOf("o");
              inner.string("z");
              f.absorb(inner);
            }),
            "c: error: part.o.z is missing");
  EXPECT_EQ(fault([](auto& f) {  // the first fault is kept
              f.string("q");
              f.string("r");
            }),
            "c: error: part.q is missing");
  EXPECT_EQ(JsonFields(nlohmann::json(3), "c").failure()->text(), "c: error: is not a JSON object");
  EXPECT_EQ(JsonFields(nlohmann::json(3), "c", "o").failure()->text(),
            "c: error: o is not an object");
}

TEST(Json, FieldsSayWhatIsThere) {
  const nlohmann::json number = 3, object = {{"n", 3}};
  EXPECT_TRUE(JsonFields(object, "c").has("n"));
  EXPECT_FALSE(JsonFields(object, "c").has("m"));
  EXPECT_FALSE(JsonFields(number, "c").has("n"));
}

// Numbers just outside their range on either side, and no numbers.
TEST(Json, NumbersOutOfRange) {
  const nlohmann::json object = {{"n", 3u}, {"x", 0.5}, {"s", "t"}};
  const auto fault = [&](auto read) {
    JsonFields fields(object, "c");
    read(fields);
    return fields.failure() ? fields.failure()->text() : "none";
  };
  EXPECT_EQ(fault([](auto& f) { f.size("n", 3, 3); }), "none");
  EXPECT_EQ(fault([](auto& f) { f.size("n", 1, 2); }),
            "c: error: n is not a whole number from 1 to 2");
  EXPECT_EQ(fault([](auto& f) { f.number("x", 0, 0.5); }), "none");
  EXPECT_EQ(fault([](auto& f) { f.number("x", 0, 0.25); }),
            "c: error: x is not a number from 0 to 0.25");
  EXPECT_EQ(fault([](auto& f) { f.number("s", 0, 1); }), "c: error: s is not a number from 0 to 1");
}

// After the first fault every read gives an empty value, whatever stands there.
TEST(Json, NothingIsReadAfterAFault) {
  const nlohmann::json object = {{"n", 3u},  {"x", 0.5},         {"b", true},
                                 {"s", "t"}, {"o", {{"i", 1u}}}, {"a", {1}}};
  JsonFields fields(object, "c");
  fields.string("none");
  EXPECT_EQ(fields.size("n", 0, 9), 0u);
  EXPECT_EQ(fields.number("x", 0, 1), 0.0);
  EXPECT_FALSE(fields.boolean("b"));
  EXPECT_EQ(fields.string("s"), "");
  EXPECT_TRUE(fields.object("o").empty());
  EXPECT_TRUE(fields.array("a").empty());
  JsonFields inner(object, "c");
  inner.refuse("n", "is odd");
  EXPECT_EQ(inner.failure()->text(), "c: error: n is odd");
  fields.absorb(inner);
  fields.refuse("n", "is odd");
  EXPECT_EQ(fields.failure()->text(), "c: error: none is missing");
}

// Members of the document itself, which no path names.
TEST(Json, FieldsOfAMember) {
  const nlohmann::json object = {{"o", {{"i", 1u}}}};
  JsonFields fields(object, "c");
  JsonFields inner = fields.fieldsOf("o");
  EXPECT_EQ(inner.size("i", 0, 9), 1u);
  inner.string("j");
  fields.absorb(inner);
  EXPECT_EQ(fields.failure()->text(), "c: error: o.j is missing");
}

RC_GTEST_PROP(Json, AnyBytesAreParsedOrRefused, (const std::string& text)) {
  const auto document = parseJson(text, "x");
  if (document) RC_ASSERT(parseJson(document->dump(), "x").value() == *document);
}

}  // namespace
}  // namespace qgpu
