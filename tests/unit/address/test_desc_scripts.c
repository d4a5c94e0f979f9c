/*
 * Scripts of descriptors and their canonical form. Facts: the vectors of BIP
 * 381 to 386, most of which Bitcoin Core's tests share: each descriptor with
 * private keys and without, and its scripts index by index.
 */
#include "suites.h"
#include "testdata.h"

#include <cairn/address/descriptor.h>
#include <cairn/base/err.h>
#include <cairn/base/text.h>
#include <cairn/params/params.h>

#include <stdio.h>
#include <stdlib.h>

static const struct {
	const char *prv, *pub;
	bool hardened;       /* scripts need the private keys */
	const char *scripts; /* in hex; "," between those of an index, ";"
				between indexes */
} vectors[] = {
    {"combo(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "combo(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b5"
     "6ac1c540c5bd)",
     false,
     "2103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1"
     "c540c5bdac,76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88a"
     "c,00149a1c78a507689f6f54b847ad1cef1e614ee23f1e,a91484ab21b1b"
     "2fd065d4504ff693d832434b6108d7b87"},
    {"pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac"
     "1c540c5bd)",
     false,
     "2103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1"
     "c540c5bdac"},
    {"pkh([deadbeef/1/2'/3/4']L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuP"
     "LBcCU2z8TrisoyY1)",
     "pkh([deadbeef/1/2'/3/4']03a34b99f22c790c4e36b2b3c2c35a36db06"
     "226e41c692fc82b8b56ac1c540c5bd)",
     false, "76a9149a1c78a507689f6f54b847ad1cef1e614ee23f1e88ac"},
    {"wpkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "wpkh(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56"
     "ac1c540c5bd)",
     false, "00149a1c78a507689f6f54b847ad1cef1e614ee23f1e"},
    {"sh(wpkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
     "))",
     "sh(wpkh(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8"
     "b56ac1c540c5bd))",
     false, "a91484ab21b1b2fd065d4504ff693d832434b6108d7b87"},
    {"tr(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "tr(a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c"
     "540c5bd)",
     false,
     "512077aab6e066f8a7419c5ab714c12c67d25007ed55a43cadcacb4d7a97"
     "0a093f11"},
    {"combo(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)",
     "combo(04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b5"
     "6ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2"
     "d492eea75abea235)",
     false,
     "4104a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1"
     "c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492"
     "eea75abea235ac,76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818"
     "388ac"},
    {"pk(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)",
     "pk(04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac"
     "1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d49"
     "2eea75abea235)",
     false,
     "4104a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1"
     "c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d492"
     "eea75abea235ac"},
    {"pkh(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)",
     "pkh(04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56a"
     "c1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03918ba2d4"
     "92eea75abea235)",
     false, "76a914b5bd079c4d57cc7fc28ecf8213a6b791625b818388ac"},
    {"sh(pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1))",
     "sh(pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b5"
     "6ac1c540c5bd))",
     false, "a9141857af51a5e516552b3086430fd8ce55f7c1a52487"},
    {"sh(pkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)"
     ")",
     "sh(pkh(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b"
     "56ac1c540c5bd))",
     false, "a9141a31ad23bf49c247dd531a623c2ef57da3c400c587"},
    {"wsh(pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)"
     ")",
     "wsh(pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b"
     "56ac1c540c5bd))",
     false,
     "00202e271faa2325c199d25d22e1ead982e45b64eeb4f31e73dbdf41bd4b"
     "5fec23fa"},
    {"wsh(pkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
     "))",
     "wsh(pkh(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8"
     "b56ac1c540c5bd))",
     false,
     "0020338e023079b91c58571b20e602d7805fb808c22473cbc391a41b1bd3"
     "a192e75b"},
    {"sh(wsh(pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8Trisoy"
     "Y1)))",
     "sh(wsh(pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82"
     "b8b56ac1c540c5bd)))",
     false, "a91472d0c5a3bfad8c3e7bd5303a72b94240e80b6f1787"},
    {"sh(wsh(pkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8Triso"
     "yY1)))",
     "sh(wsh(pkh(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc8"
     "2b8b56ac1c540c5bd)))",
     false, "a914b61b92e2ca21bac1e72a3ab859a742982bea960a87"},
    {"tr(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac"
     "1c540c5,{pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5),{pk(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLB"
     "cCU2z8TrisoyY1),pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e4"
     "1c692fc82b8b56ac1c540c5)}})",
     "tr(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac"
     "1c540c5,{pk(03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5),{pk(a34b99f22c790c4e36b2b3c2c35a36db06226e"
     "41c692fc82b8b56ac1c540c5bd),pk(03a34b99f22c790c4e36b2b3c2c35"
     "a36db06226e41c692fc82b8b56ac1c540c5)}})",
     false,
     "51201497ae16f30dacb88523ed9301bff17773b609e8a90518a3f96ea328"
     "a47d1500"},
    {"combo([01234567]xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmr"
     "j4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCq"
     "E2VbFWc)",
     "combo([01234567]xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBU"
     "HQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJu"
     "ZZvRcEL)",
     false,
     "2102d2b36900396c9282fa14628566582f206a5dd0bcc8d5e892611806ca"
     "fb0301f0ac,76a91431a507b815593dfc51ffc7245ae7e5aee304246e88a"
     "c,001431a507b815593dfc51ffc7245ae7e5aee304246e,a9142aafb926e"
     "b247cb18240a7f4c07983ad1f37922687"},
    {"pk(xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJ"
     "Mu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L/0)",
     "pk(xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQr"
     "ADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y/0)",
     false,
     "210379e45b3cf75f9c5f9befd8e9506fb962f6a9d185ac87001ec44a8d3d"
     "f8d4a9e3ac"},
    {"pkh(xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtAL"
     "Gdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U/2147"
     "483647'/0)",
     "pkh(xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUa"
     "pSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB/2147"
     "483647'/0)",
     true, "76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"},
    {"wpkh([ffffffff/13']xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38F"
     "BWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWk"
     "eS3v86pgKt/1/2/*)",
     "wpkh([ffffffff/13']xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3"
     "ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgF"
     "xHmwMkQTPH/1/2/*)",
     false,
     "0014326b2249e3a25d5dc60935f044ee835d090ba859;0014af0bd98abc2"
     "f2cae66e36896a39ffe2d32984fb7;00141fa798efd1cbf95cebf912c031"
     "b8a4a6e9fb9f27"},
    {"sh(wpkh(xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq"
     "3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi/"
     "10/20/30/40/*'))",
     "sh(wpkh(xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8Nqtwy"
     "bGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8/"
     "10/20/30/40/*'))",
     true,
     "a9149a4d9901d6af519b2a23d4a2f51650fcba87ce7b87;a914bed59fc00"
     "24fae941d6e20a3b44a109ae740129287;a9148483aa1116eb9c05c482a7"
     "2bada4b1db24af654387"},
    {"combo(xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4H"
     "sb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334/*)",
     "combo(xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbq"
     "BqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV/*)",
     false,
     "2102df12b7035bdac8e3bab862a3a83d06ea6b17b6753d52edecba9be46f"
     "5d09e076ac,76a914f90e3178ca25f2c808dc76624032d352fdbdfaf288a"
     "c,0014f90e3178ca25f2c808dc76624032d352fdbdfaf2,a91408f3ea8c6"
     "8d4a7585bf9e8bda226723f70e445f087;21032869a233c9adff9a994e49"
     "66e5b821fd5bac066da6c3112488dc52383b4a98ecac,76a914a8409d1b6"
     "dfb1ed2a3e8aa5e0ef2ff26b15b75b788ac,0014a8409d1b6dfb1ed2a3e8"
     "aa5e0ef2ff26b15b75b7,a91473e39884cb71ae4e5ac9739e9225026c997"
     "63e6687"},
    {"tr(xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3"
     "xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc/0/*,p"
     "k(xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3x"
     "z7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc/1/*))",
     "tr(xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgb"
     "mJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL/0/*,p"
     "k(xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbm"
     "JbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL/1/*))",
     false,
     "512078bc707124daa551b65af74de2ec128b7525e10f374dc67b64e00ce0"
     "ab8b3e12;512001f0a02a17808c20134b78faab80ef93ffba82261ccef0a"
     "2314f5d62b6438f11;512021024954fcec88237a9386fce80ef2ced5f1e9"
     "1b422b26c59ccfc174c8d1ad25"},
    {"wsh(multi(1,xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2Ww"
     "LsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in"
     "334/0,L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1))",
     "wsh(multi(1,xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3v"
     "DfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiy"
     "LHV/0,03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b5"
     "6ac1c540c5bd))",
     false,
     "0020cb155486048b23a6da976d4c6fe071a2dbc8a7b57aaf225b8955f2e2"
     "a27b5f00"},
    {"multi(1,xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd"
     "4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334/"
     "*,L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "multi(1,xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZm"
     "bqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV/"
     "*,03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1"
     "c540c5bd)",
     false,
     "512102df12b7035bdac8e3bab862a3a83d06ea6b17b6753d52edecba9be4"
     "6f5d09e0762103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5bd52ae;5121032869a233c9adff9a994e4966e5b821f"
     "d5bac066da6c3112488dc52383b4a98ec2103a34b99f22c790c4e36b2b3c"
     "2c35a36db06226e41c692fc82b8b56ac1c540c5bd52ae;5121035d30b6c6"
     "6dc1e036c45369da8287518cf7e0d6ed1e2b905171c605708f14ca032103"
     "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540"
     "c5bd52ae"},
    {"pkh([01234567/10/20]xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm"
     "5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2em"
     "dEXVYsCzC2U/2147483647'/0)",
     "pkh([01234567/10/20]xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDM"
     "sktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ"
     "8UB7WEGuduB/2147483647'/0)",
     true, "76a914ebdc90806a9c4356c1c88e42216611e1cb4c1c1788ac"},
    {"multi(1,L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"
     ",5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)",
     "multi(1,03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8"
     "b56ac1c540c5bd,04a34b99f22c790c4e36b2b3c2c35a36db06226e41c69"
     "2fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73a"
     "a03918ba2d492eea75abea235)",
     false,
     "512103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56a"
     "c1c540c5bd4104a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03"
     "918ba2d492eea75abea23552ae"},
    {"multi(2,KzoAz5CanayRKex3fSLQ2BwJpN7U52gZvxMyk78nDMHuqrUxuSJy"
     ",KwGNz6YCCQtYvFzMtrC6D3tKTKdBBboMrLTsjr2NYVBwapCkn7Mr,KxogYh"
     "iNfwxuswvXV66eFyKcCpm7dZ7TqHVqujHAVUjJxyivxQ9X)",
     "multi(2,03669b8afcec803a0d323e9a17f3ea8e68e8abe5a278020a929a"
     "dbec52421adbd0,0260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5"
     "e154050a9346ea98ce600,0362a74e399c39ed5593852a30147f2959b56b"
     "b827dfa3e60e464b02ccf87dc5e8)",
     false,
     "522103669b8afcec803a0d323e9a17f3ea8e68e8abe5a278020a929adbec"
     "52421adbd0210260b2003c386519fc9eadf2b5cf124dd8eea4c4e68d5e15"
     "4050a9346ea98ce600210362a74e399c39ed5593852a30147f2959b56bb8"
     "27dfa3e60e464b02ccf87dc5e853ae"},
    {"sortedmulti(1,L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8Tr"
     "isoyY1,5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)",
     "sortedmulti(1,03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692"
     "fc82b8b56ac1c540c5bd,04a34b99f22c790c4e36b2b3c2c35a36db06226"
     "e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e"
     "3aa73aa03918ba2d492eea75abea235)",
     false,
     "512103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56a"
     "c1c540c5bd4104a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03"
     "918ba2d492eea75abea23552ae"},
    {"sortedmulti(1,5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBC"
     "nWjss,L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)",
     "sortedmulti(1,04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692"
     "fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa"
     "03918ba2d492eea75abea235,03a34b99f22c790c4e36b2b3c2c35a36db0"
     "6226e41c692fc82b8b56ac1c540c5bd)",
     false,
     "512103a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56a"
     "c1c540c5bd4104a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc"
     "82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c02559e3aa73aa03"
     "918ba2d492eea75abea23552ae"},
    {"sh(multi(2,[00000000/111'/222]xprvA1RpRA33e1JQ7ifknakTFpgNXP"
     "mW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HF"
     "sTjSyQbLYnMpCqE2VbFWc,xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqC"
     "JGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPd"
     "GZ2y9WACViL4L/0))",
     "sh(multi(2,[00000000/111'/222]xpub6ERApfZwUNrhLCkDtcHTcxd75R"
     "bzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGR"
     "jaDMzQLcgJvLJuZZvRcEL,xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CR"
     "Ds6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7"
     "gwQN3ih19Zm4Y/0))",
     false, "a91445a9a622a8b0a1269944be477640eedc447bbd8487"},
    {"sortedmulti(2,xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4"
     "xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2"
     "VbFWc/*,xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzk"
     "TXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L/"
     "0/0/*)",
     "sortedmulti(2,xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQ"
     "VHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZ"
     "vRcEL/*,xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku"
     "14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y/"
     "0/0/*)",
     false,
     "5221025d5fc65ebb8d44a5274b53bac21ff8307fec2334a32df05553459f"
     "8b1f7fe1b62102fbd47cc8034098f0e6a94c6aeee8528abf0a2153a5d8e4"
     "6d325b7284c046784652ae;52210264fd4d1f5dea8ded94c61e964130934"
     "9b62f27fbffe807291f664e286bfbe6472103f4ece6dfccfa37b211eb3d0"
     "af4d0c61dba9ef698622dc17eecdf764beeb005a652ae;5221022ccabda8"
     "4c30bad578b13c89eb3b9544ce149787e5b538175b1d1ba259cbb8332102"
     "4d902e1a2fc7a8755ab5b694c575fce742c48d9ff192e63df5193e4c7afe"
     "1f9c52ae"},
    {"wsh(multi(2,xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiG"
     "G5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCz"
     "C2U/2147483647'/0,xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FB"
     "WLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWke"
     "S3v86pgKt/1/2/*,xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4"
     "stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuG"
     "BxrMPHi/10/20/30/40/*'))",
     "wsh(multi(2,xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF"
     "8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGu"
     "duB/2147483647'/0,xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3Z"
     "uxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFx"
     "HmwMkQTPH/1/2/*,xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9g"
     "SE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1"
     "EGMcet8/10/20/30/40/*'))",
     true,
     "0020b92623201f3bb7c3771d45b2ad1d0351ea8fbf8cfe0a0e570264e107"
     "5fa1948f;002036a08bbe4923af41cf4316817c93b8d37e2f635dd25cfff"
     "06bd50df6ae7ea203;0020a96e7ab4607ca6b261bfe3245ffda9c746b28d"
     "3f59e83d34820ec0e2b36c139c"},
    {"tr(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1,pk(K"
     "zoAz5CanayRKex3fSLQ2BwJpN7U52gZvxMyk78nDMHuqrUxuSJy))",
     "tr(a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c"
     "540c5bd,pk(669b8afcec803a0d323e9a17f3ea8e68e8abe5a278020a929"
     "adbec52421adbd0))",
     false,
     "512017cf18db381d836d8923b1bdb246cfcd818da1a9f0e6e7907f187f0b"
     "2f937754"},
    {"tr(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1,mult"
     "i_a(1,KzoAz5CanayRKex3fSLQ2BwJpN7U52gZvxMyk78nDMHuqrUxuSJy))",
     "tr(a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c"
     "540c5bd,multi_a(1,669b8afcec803a0d323e9a17f3ea8e68e8abe5a278"
     "020a929adbec52421adbd0))",
     false,
     "5120eb5bd3894327d75093891cc3a62506df7d58ec137fcd104cdd285d67"
     "816074f3"},
    {"sh(multi(2,[00000000/111'/222]xprvA1RpRA33e1JQ7ifknakTFpgNXP"
     "mW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HF"
     "sTjSyQbLYnMpCqE2VbFWc,xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqC"
     "JGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPd"
     "GZ2y9WACViL4L/0))#ggrsrxfy",
     "sh(multi(2,[00000000/111'/222]xpub6ERApfZwUNrhLCkDtcHTcxd75R"
     "bzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGR"
     "jaDMzQLcgJvLJuZZvRcEL,xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CR"
     "Ds6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7"
     "gwQN3ih19Zm4Y/0))#tjg09x5t",
     false, "a91445a9a622a8b0a1269944be477640eedc447bbd8487"},
    {"sh(multi(2,[00000000/111'/222]xprvA1RpRA33e1JQ7ifknakTFpgNXP"
     "mW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HF"
     "sTjSyQbLYnMpCqE2VbFWc,xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqC"
     "JGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPd"
     "GZ2y9WACViL4L/0))",
     "sh(multi(2,[00000000/111'/222]xpub6ERApfZwUNrhLCkDtcHTcxd75R"
     "bzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGR"
     "jaDMzQLcgJvLJuZZvRcEL,xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CR"
     "Ds6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7"
     "gwQN3ih19Zm4Y/0))",
     false, "a91445a9a622a8b0a1269944be477640eedc447bbd8487"},
};

#define VECTORS (sizeof vectors / sizeof *vectors)

static struct descriptor *parse(const char *text)
{
	struct text err = TEXT_INIT;
	struct descriptor *d = NULL;

	ck_assert_msg(descriptor_parse(&d, &err, slice_of(text, strlen(text)),
				       false, params_get(CHAIN_MAIN)) == 0,
		      "%s: %s", text, text_str(&err));
	ck_assert_uint_eq(err.n, 0);
	text_fini(&err);
	return d;
}

static void check_index(struct descriptor_walk *w, uint32_t index, char *want,
			const char *what)
{
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	size_t n, k = 0;
	char *one;

	ck_assert_int_eq(descriptor_walk_at(w, script, &n, index), 0);
	while ((one = strsep(&want, ",")) != NULL) {
		ck_assert_uint_lt(k, n);
		check_script(script[k].p, script[k].n, one, what);
		k++;
	}
	ck_assert_uint_eq(k, n);
}

static void check_scripts(const char *desc, const char *scripts)
{
	struct descriptor *d = parse(desc);
	struct descriptor_walk *w;
	char *copy = strdup(scripts), *rest = copy, *one;
	uint32_t index = 0;

	ck_assert_int_eq(descriptor_walk(&w, d, 0), 0);
	while ((one = strsep(&rest, ";")) != NULL)
		check_index(w, index++, one, desc);
	ck_assert(descriptor_is_range(d) || index == 1);
	descriptor_walk_free(w);
	descriptor_free(d);
	free(copy);
}

/* Canonical form is that of the public descriptor, which is already. */
static void check_canonical(const char *desc, const char *want)
{
	struct descriptor *d = parse(desc);
	size_t n = strcspn(want, "#"); /* some have their checksum */
	struct text t = TEXT_INIT;
	char sum[9];

	descriptor_put(&t, d, 0);
	ck_assert_uint_eq(t.n, n + 9);
	ck_assert_mem_eq(t.p, want, n);
	ck_assert(descriptor_checksum(sum, want, n));
	ck_assert_str_eq(t.p + n + 1, sum);
	text_fini(&t);
	descriptor_free(d);
}

START_TEST(scripts_are_those_of_the_bips)
{
	for (size_t i = 0; i < VECTORS; i++) {
		check_scripts(vectors[i].prv, vectors[i].scripts);
		if (!vectors[i].hardened)
			check_scripts(vectors[i].pub, vectors[i].scripts);
	}
	printf("descriptors: %zu of the BIPs\n", VECTORS);
}
END_TEST

START_TEST(canonical_form_has_public_keys)
{
	for (size_t i = 0; i < VECTORS; i++) {
		check_canonical(vectors[i].prv, vectors[i].pub);
		check_canonical(vectors[i].pub, vectors[i].pub);
	}
}
END_TEST

START_TEST(hardened_steps_need_private_keys)
{
	size_t n = 0;

	for (size_t i = 0; i < VECTORS; i++) {
		struct descriptor *d = parse(vectors[i].pub);
		struct descriptor_walk *w = NULL;

		ck_assert(!descriptor_has_private(d));
		ck_assert_msg(descriptor_walk(&w, d, 0) ==
				  (vectors[i].hardened ? E_NOTFOUND : 0),
			      "%s", vectors[i].pub);
		n += vectors[i].hardened;
		descriptor_walk_free(w);
		descriptor_free(d);
	}
	ck_assert_uint_ge(n, 3);
}
END_TEST

/* Bitcoin Core looks private keys up by their public ones, wherever in the
 * descriptor they stand. */
START_TEST(a_private_key_serves_other_expressions_too)
{
	static const char xpub[] =
	    "xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9"
	    "W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB";
	static const char xprv[] =
	    "xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6"
	    "ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U";
	struct slice a[DESCRIPTOR_SCRIPTS_MAX], b[DESCRIPTOR_SCRIPTS_MAX];
	struct text one = TEXT_INIT, two = TEXT_INIT;
	struct descriptor_walk *v, *w;
	struct descriptor *d, *e;
	size_t n;

	text_printf(&one, "multi(1,%s/1h,%s/2h)", xpub, xprv);
	text_printf(&two, "multi(1,%s/1h,%s/2h)", xprv, xprv);
	d = parse(text_str(&one));
	e = parse(text_str(&two));
	ck_assert(descriptor_has_private(d));
	ck_assert_int_eq(descriptor_walk(&v, d, 0), 0);
	ck_assert_int_eq(descriptor_walk(&w, e, 0), 0);
	ck_assert_int_eq(descriptor_walk_at(v, a, &n, 0), 0);
	ck_assert_int_eq(descriptor_walk_at(w, b, &n, 0), 0);
	ck_assert(slice_eq(a[0], b[0]));
	descriptor_walk_free(v);
	descriptor_walk_free(w);
	descriptor_free(d);
	descriptor_free(e);
	text_fini(&one);
	text_fini(&two);
}
END_TEST

#define XPUB                                                                   \
	"xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm" \
	"6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV"
#define GX "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

/* Multipath: what each variant is written as, and that its scripts are those
 * of the descriptor so written. */
static const char *const multipath[][4] = {
    {"pkh(" XPUB "/<0;1>/5)", "pkh(" XPUB "/0/5)", "pkh(" XPUB "/1/5)"},
    {"wpkh(" XPUB "/<7;0;3>/*)", "wpkh(" XPUB "/7/*)", "wpkh(" XPUB "/0/*)",
     "wpkh(" XPUB "/3/*)"},
    {"multi(1," XPUB "/<0;1>,02" GX "," XPUB "/2/<3;4>)",
     "multi(1," XPUB "/0,02" GX "," XPUB "/2/3)",
     "multi(1," XPUB "/1,02" GX "," XPUB "/2/4)"},
    {"tr(" GX ",{pk(" XPUB "/<0;1>/*),multi_a(1," GX ")})",
     "tr(" GX ",{pk(" XPUB "/0/*),multi_a(1," GX ")})",
     "tr(" GX ",{pk(" XPUB "/1/*),multi_a(1," GX ")})"},
    {"sh(wsh(sortedmulti(1,[00000000/1h]" XPUB "/1/<2;5>)))",
     "sh(wsh(sortedmulti(1,[00000000/1h]" XPUB "/1/2)))",
     "sh(wsh(sortedmulti(1,[00000000/1h]" XPUB "/1/5)))"},
};

static void check_variant(const struct descriptor *d, size_t variant,
			  const char *want)
{
	struct slice a[DESCRIPTOR_SCRIPTS_MAX], b[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor *e = parse(want);
	struct descriptor_walk *v, *w;
	struct text t = TEXT_INIT;
	size_t n;

	descriptor_put(&t, d, variant);
	ck_assert_mem_eq(t.p, want, strlen(want));
	ck_assert_int_eq(descriptor_walk(&v, d, variant), 0);
	ck_assert_int_eq(descriptor_walk(&w, e, 0), 0);
	ck_assert_int_eq(descriptor_walk_at(v, a, &n, 9), 0);
	ck_assert_int_eq(descriptor_walk_at(w, b, &n, 9), 0);
	ck_assert(slice_eq(a[0], b[0]));
	descriptor_walk_free(v);
	descriptor_walk_free(w);
	text_fini(&t);
	descriptor_free(e);
}

START_TEST(multipath_makes_a_descriptor_of_each_alternative)
{
	for (size_t i = 0; i < sizeof multipath / sizeof *multipath; i++) {
		struct descriptor *d = parse(multipath[i][0]);
		size_t n = 0;

		while (n < 3 && multipath[i][n + 1])
			n++;
		ck_assert_uint_eq(descriptor_variants(d), n);
		for (size_t k = 0; k < n; k++)
			check_variant(d, k, multipath[i][k + 1]);
		descriptor_free(d);
	}
}
END_TEST

/* Every shape of tree is written as it was read. */
START_TEST(trees_are_written_as_they_were_read)
{
	static const char *const trees[] = {
	    "pk(" GX ")",
	    "{pk(" GX "),pk(" GX ")}",
	    "{{pk(" GX "),pk(" GX ")},pk(" GX ")}",
	    "{pk(" GX "),{pk(" GX "),pk(" GX ")}}",
	    "{{pk(" GX "),pk(" GX ")},{pk(" GX "),pk(" GX ")}}",
	    "{{{pk(" GX "),multi_a(1," GX ")},pk(" GX ")},{pk(" GX
	    "),{sortedmulti_a(1," GX "),pk(" GX ")}}}",
	};

	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		struct text t = TEXT_INIT;

		text_printf(&t, "tr(" GX ",%s)", trees[i]);
		check_canonical(text_str(&t), text_str(&t));
		text_fini(&t);
	}
}
END_TEST

/* A chain of n leaves, each but the last beside all that follow. */
static void put_deep(struct text *t, unsigned n)
{
	text_puts(t, "tr(" GX ",");
	for (unsigned i = 0; i < n; i++)
		text_puts(t, "{pk(" GX "),");
	text_puts(t, "pk(" GX ")");
	for (unsigned i = 0; i < n; i++)
		text_puts(t, "}");
	text_puts(t, ")");
}

START_TEST(trees_are_128_deep_at_most)
{
	struct text t = TEXT_INIT, err = TEXT_INIT;
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor_walk *w;
	struct descriptor *d;
	size_t n;

	put_deep(&t, 128);
	d = parse(text_str(&t));
	ck_assert_int_eq(descriptor_walk(&w, d, 0), 0);
	ck_assert_int_eq(descriptor_walk_at(w, script, &n, 0), 0);
	ck_assert_uint_eq(script[0].n, 34);
	descriptor_walk_free(w);
	descriptor_free(d);
	text_reset(&t);
	put_deep(&t, 129);
	ck_assert_int_eq(descriptor_parse(&d, &err, slice_of(t.p, t.n), false,
					  params_get(CHAIN_MAIN)),
			 E_PARSE);
	ck_assert_str_eq(text_str(&err),
			 "tr() supports at most 128 nesting levels");
	text_fini(&t);
	text_fini(&err);
}
END_TEST

START_TEST(unused_has_no_script)
{
	struct descriptor *d = parse("unused(02" GX ")");
	struct slice script[DESCRIPTOR_SCRIPTS_MAX];
	struct descriptor_walk *w;
	size_t n = 9;

	ck_assert_int_eq(descriptor_walk(&w, d, 0), 0);
	ck_assert_int_eq(descriptor_walk_at(w, script, &n, 0), 0);
	ck_assert_uint_eq(n, 0);
	descriptor_walk_free(w);
	descriptor_free(d);
}
END_TEST

Suite *desc_scripts_suite(void)
{
	Suite *s = suite_create("desc_scripts");
	TCase *t = tcase_create("scripts");

	tcase_add_test(t, scripts_are_those_of_the_bips);
	tcase_add_test(t, canonical_form_has_public_keys);
	tcase_add_test(t, hardened_steps_need_private_keys);
	tcase_add_test(t, a_private_key_serves_other_expressions_too);
	tcase_add_test(t, multipath_makes_a_descriptor_of_each_alternative);
	tcase_add_test(t, trees_are_written_as_they_were_read);
	tcase_add_test(t, trees_are_128_deep_at_most);
	tcase_add_test(t, unused_has_no_script);
	suite_add_tcase(s, t);
	return s;
}
